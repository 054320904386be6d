/** One request of a `.http` file, with the answer promised in its title: `### 400 invalid_json: …`. */
export interface FileRequest {
  readonly title: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Reads the requests of a file and fills in its variables; `given` overrides values of the file. */
export function readHttpFile(text: string, given: Record<string, string>): FileRequest[] {
  const [preamble = '', ...blocks] = text.split(/^### /m);
  const variables = new Map<string, string>();
  const filled = (part: string): string =>
    part.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = variables.get(name);
      if (value === undefined)
        throw new Error(`The file does not define the variable ${name}. Add a line: @${name} = …`);
      return value;
    });
  for (const [, name = '', value = ''] of preamble.matchAll(/^@(\w+) = (.+)$/gm)) {
    variables.set(name, given[name] ?? filled(value));
  }
  return blocks.map((block) => readRequest(filled(block)));
}

function readRequest(block: string): FileRequest {
  const [head = '', ...body] = block.split('\n\n');
  const [title = '', requestLine = '', ...headers] = head.trim().split('\n');
  const [, status, code] = /^(\d{3})(?: ([a-z_]+))?: \S/.exec(title) ?? [];
  const [, method, url] = /^([A-Z]+) (\S+)$/.exec(requestLine) ?? [];
  if (status === undefined || method === undefined || url === undefined) {
    throw new Error(
      `Give this request a title such as "### 400 invalid_json: …" and a line "METHOD url":\n${block}`,
    );
  }
  return {
    title,
    status: Number(status),
    code,
    method,
    url,
    headers: Object.fromEntries(headers.map((header) => header.split(': ', 2) as [string, string])),
    body: body.length > 0 && body.join('').trim() !== '' ? body.join('\n\n').trim() : undefined,
  };
}
