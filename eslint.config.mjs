// Biome checks style; this checks only that regular expressions run in linear time. Tests and scripts read no untrusted
// text.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import * as regexp from 'eslint-plugin-regexp'
import * as espree from 'espree'
import { noRescan } from './scripts/lint/no-rescan.mjs'

/** Replaces types by white space, which keeps lines and columns. */
const parser = {
  meta: { name: 'types-stripped', version: process.version },
  parse: (text, options) => espree.parse(stripTypeScriptTypes(text), options),
}

// The version is part of the cache's key: a changed rule judges every file again.
const ruleVersion = createHash('sha256')
  .update(readFileSync(new URL('scripts/lint/no-rescan.mjs', import.meta.url)))
  .digest('hex')
const ours = { meta: { name: 'ours', version: ruleVersion }, rules: { 'no-rescan': noRescan } }

export default [
  { ignores: ['**/dist/**'] },
  {
    files: ['services/*/src/**/*.ts', 'packages/*/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'packages/test-kit/**'],
    languageOptions: { parser, ecmaVersion: 2026 },
    linterOptions: { noInlineConfig: true },
    plugins: { regexp, ours },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
      'ours/no-rescan': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(NewExpression, CallExpression)[callee.name="RegExp"]',
          message: 'A pattern that is put together cannot be judged: write a literal, or search for text.',
        },
      ],
    },
  },
]
