// Builds the bundles under dist/, which are committed so that building gcan needs no Node.
// Usage: node build.mjs [--check]: --check tells whether dist/ matches the sources.
import { build } from 'esbuild';
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');

const result = await build({
  absWorkingDir: here,
  entryPoints: { 'gcan-page': 'src/page.ts', 'gcan-playground': 'src/playground/playground.ts' },
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['chrome109', 'firefox113'],
  charset: 'utf8',
  legalComments: 'inline',
  logLevel: 'warning',
  logOverride: { 'empty-import-meta': 'silent' }, // of emscripten, for files that the page does not use
  write: false,
});

let stale = 0;
for (const file of result.outputFiles) {
  const path = join(here, 'dist', file.path.split(/[\\/]/).pop());
  if (check) {
    let there = '';
    try {
      there = readFileSync(path, 'utf8');
    } catch {}
    if (there === file.text) continue;
    console.error(`${path} is not what web/src gives; run 'npm run build' in web/ and commit it`);
    stale = 1;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.text);
    console.log(`${path}: ${(file.contents.length / 1024).toFixed(1)} KiB`);
  }
}
process.exit(stale);
