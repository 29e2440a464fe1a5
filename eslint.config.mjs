// Biome judges style. This judges one thing that it does not: whether a regular expression may take time that grows
// faster than its input. Tests and scripts read nothing of strangers.
import { stripTypeScriptTypes } from 'node:module'
import * as regexp from 'eslint-plugin-regexp'
import * as espree from 'espree'
import { noRescan } from './scripts/lint/no-rescan.mjs'

/** Types give way to white space, so that lines and columns stay. */
const parser = { parse: (text, options) => espree.parse(stripTypeScriptTypes(text), options) }

export default [
  {
    files: ['services/*/src/**/*.ts', 'packages/*/src/**/*.ts'],
    ignores: ['**/*.test.ts', 'packages/test-kit/**'],
    languageOptions: { parser, ecmaVersion: 2026 },
    linterOptions: { noInlineConfig: true },
    plugins: { regexp, ours: { rules: { 'no-rescan': noRescan } } },
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
