interface AlgebraModule {
  ccall(name: string, result: 'string', types: ('string' | 'number')[], values: (string | number)[]): string;
}
export default function load(): Promise<AlgebraModule>;
