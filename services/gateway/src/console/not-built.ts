import { hashSource, strictPolicy } from '../docs/page.ts'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
main { max-width: 32rem; margin: 18vh auto 0; padding: 0 1rem }
h1 { font-size: 1.15rem; margin: 0 }
p { color: light-dark(#4d5561, #a9b1bd) }
code { font-size: .9em }
`

/** The page shown until the console is built. It reloads by itself, so that the console replaces it. */
export const notBuilt = {
  headers: {
    'Content-Security-Policy': [...strictPolicy, `style-src ${hashSource(style)}`].join('; '),
    'Retry-After': '10',
  },
  html:
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<meta http-equiv="refresh" content="10"><title>Console not built</title><style>${style}</style></head><body><main>` +
    '<h1>The console is not built</h1><p>This gateway runs without the built files of <code>packages/console</code>. ' +
    'Run <code>npm start</code>, or use an image from <code>infra/Dockerfile</code>; both build it.</p>' +
    '<p>The API is not affected. This page looks again every 10 seconds.</p></main></body></html>',
}
