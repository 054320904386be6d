/** The file that @nestjs/mapped-types uses, too. Its types are in another folder of the package. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
