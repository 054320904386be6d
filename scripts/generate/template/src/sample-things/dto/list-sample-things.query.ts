import { PageQuery } from '../../common/paging/page-query.js';

/** Filters have their place here, each a property with `@QueryParameter`. */
export class ListSampleThingsQuery extends PageQuery {}
