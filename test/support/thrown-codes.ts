import ts from 'typescript';

/** A code that an operation can throw, and the place of the `throw`, such as `src/pets/pets.service.ts:24`. */
export interface ThrownCode {
  readonly operationId: string;
  readonly code: string;
  readonly at: string;
}

/**
 * Reads which error codes the operations of all controllers, and of those in `more`, can throw: follows every name that
 * a handler mentions to its function, within the project, and collects `new ApiError('code')` and calls of declared
 * errors. Calls through an interface or a computed name are not followed.
 */
export function readThrownCodes(more: readonly string[] = []): ThrownCode[] {
  const files = [...ts.sys.readDirectory('src', undefined, undefined, ['**/*.controller.ts']), ...more];
  const { options } = ts.convertCompilerOptionsFromJson(
    (ts.readConfigFile('tsconfig.json', ts.sys.readFile).config as { compilerOptions: object })
      .compilerOptions,
    '.',
  );
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const reader = new CodeReader(checker);
  return files.flatMap((file) =>
    handlersIn(program.getSourceFile(file)!).flatMap((handler) =>
      [...reader.reachableFrom(handler)].map(([code, at]) => ({
        operationId: handler.name.getText(),
        code,
        at,
      })),
    ),
  );
}

/** The methods of controllers that serve a route. */
function handlersIn(file: ts.SourceFile): ts.MethodDeclaration[] {
  return file.statements
    .filter(ts.isClassDeclaration)
    .flatMap((type) =>
      decoratorsOf(type).includes('Controller')
        ? type.members
            .filter(ts.isMethodDeclaration)
            .filter((method) => decoratorsOf(method).some((name) => ROUTES.has(name)))
        : [],
    );
}

const ROUTES = new Set(['Get', 'Post', 'Put', 'Patch', 'Delete']);

function decoratorsOf(node: ts.HasDecorators): string[] {
  return (ts.getDecorators(node) ?? []).map(({ expression }) =>
    ts.isCallExpression(expression) ? expression.expression.getText() : expression.getText(),
  );
}

class CodeReader {
  constructor(private readonly checker: ts.TypeChecker) {}

  /** Each code with the first place that throws it. */
  reachableFrom(start: ts.MethodDeclaration): Map<string, string> {
    const codes = new Map<string, string>();
    const seen = new Set<ts.Node>();
    const visit = (node: ts.Node, caller?: ts.Node): void => {
      // Decorators document; types throw nothing.
      if (ts.isDecorator(node) || ts.isTypeNode(node)) return;
      for (const code of this.codesThrownBy(node))
        if (!codes.has(code)) codes.set(code, placeOf(caller ?? node));
      if (ts.isIdentifier(node)) {
        for (const body of this.functionsNamed(node)) {
          if (seen.has(body)) continue;
          seen.add(body);
          // Of a shared function, such as `notFound`, the place is its call.
          visit(body, caller ?? (isShared(body) ? node : undefined));
        }
      }
      ts.forEachChild(node, (child) => visit(child, caller));
    };
    visit(start);
    return codes;
  }

  /** The codes of `new ApiError(code)` and of `declared()`. */
  private codesThrownBy(node: ts.Node): string[] {
    if (ts.isNewExpression(node) && node.expression.getText() === 'ApiError') {
      const [kind] = node.arguments ?? [];
      return kind ? this.codesOf(this.checker.getTypeAtLocation(kind)) : [];
    }
    if (!ts.isCallExpression(node)) return [];
    const type = this.checker.getTypeAtLocation(node.expression);
    return type.getProperty('constraints') ? this.codesOf(type) : [];
  }

  private codesOf(type: ts.Type): string[] {
    if (type.isUnion()) return type.types.flatMap((each) => this.codesOf(each));
    if (type.isStringLiteral()) return [type.value];
    const code = type.getProperty('code');
    return code ? this.codesOf(this.checker.getTypeOfSymbol(code)) : [];
  }

  /** The functions of the project that a name stands for: methods, functions, constructors, getters. */
  private functionsNamed(name: ts.Identifier): ts.Node[] {
    let symbol = this.checker.getSymbolAtLocation(name);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = this.checker.getAliasedSymbol(symbol);
    return (symbol?.declarations ?? []).flatMap((declaration) => {
      if (declaration.getSourceFile().isDeclarationFile) return [];
      if (ts.isClassDeclaration(declaration)) return declaration.members.filter(ts.isConstructorDeclaration);
      if (ts.isVariableDeclaration(declaration)) return declaration.initializer ?? [];
      return ts.isFunctionLike(declaration) ? declaration : [];
    });
  }
}

function isShared(node: ts.Node): boolean {
  return node.getSourceFile().fileName.includes('/src/api/');
}

function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName.replace(`${process.cwd()}/`, '')}:${line + 1}`;
}
