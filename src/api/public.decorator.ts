import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'public';

/** Opens a route to requests without a key. All other routes require one. */
export const Public = () => SetMetadata(PUBLIC, true);
