import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import { insideTransaction, refuseOutside } from './open-transaction.js';

const refuseInsideTransaction = (): void => refuseOutside('read');

const later = async (): Promise<void> => {
  await delay(1);
  refuseInsideTransaction();
};

it('refuses in the asynchronous context of an open transaction, and nowhere else', async () => {
  refuseInsideTransaction();
  await insideTransaction(async () => {
    expect(refuseInsideTransaction).toThrow('outside of the open transaction');
    await expect(later()).rejects.toThrow('outside of the open transaction');
  });
  refuseInsideTransaction();
});

it('does not refuse in others while a transaction is open', async () => {
  const elsewhere = delay(5).then(refuseInsideTransaction);
  await insideTransaction(() => delay(20));
  await expect(elsewhere).resolves.toBeUndefined();
});

it('does not refuse in what a transaction began and outlives it, while another is open', async () => {
  let outliving!: Promise<void>;
  await insideTransaction(async () => {
    outliving = delay(20).then(refuseInsideTransaction);
  });
  await insideTransaction(() => delay(40));
  await expect(outliving).resolves.toBeUndefined();
});

it('does not slow the promises of the process while no transaction is open', async () => {
  const disable = jest.spyOn(AsyncLocalStorage.prototype, 'disable');
  await Promise.all([insideTransaction(() => delay(1)), insideTransaction(() => delay(10))]);
  expect(disable).toHaveBeenCalledTimes(1);
  disable.mockRestore();
});
