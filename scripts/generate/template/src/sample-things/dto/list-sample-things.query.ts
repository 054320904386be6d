import { PageQuery } from '../../api/paging/page-query.js';

/** Add filters here: properties with `@QueryParameter`. */
export class ListSampleThingsQuery extends PageQuery {}
