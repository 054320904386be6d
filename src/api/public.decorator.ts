import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'public';

/** Opens a route to requests without a key. Every other route is closed. */
export const Public = () => SetMetadata(PUBLIC, true);
