import { describe } from '@jest/globals';
import { databaseDistribution } from '../../support/database.js';

const { BASE_URL: address, API_KEY: key } = process.env;

/** The running deployment to test, of which only the front door is there; undefined if the tests start the service. */
export const deployment = address && key ? { origin: new URL(address).origin, key } : undefined;

/** Tests that need the service in their own process, or its database. */
export const describeInside = deployment ? describe.skip : describe;

/** Those that need what Citus does not have. */
export const describeOnOneServer = databaseDistribution ? describe.skip : describeInside;
