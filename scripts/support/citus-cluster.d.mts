export declare function createOnCitus(urls: readonly string[], name: string): Promise<void>;
export declare function dropOnCitus(urls: readonly string[], name: string): Promise<void>;
