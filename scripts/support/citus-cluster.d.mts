export declare function createOnCitus(urls: readonly string[], name: string): Promise<void>;
export declare function ofService(url: string, database: string): string;
export declare function dropOnCitus(urls: readonly string[], name: string): Promise<void>;
