import { PageQuery } from '../../api/paging/page-query.js';

/** Filters have their place here, each a property with `@QueryParameter`. */
export class ListSampleThingsQuery extends PageQuery {}
