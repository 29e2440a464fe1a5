import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Router } from 'express'

/**
 * `GET /`: the page that shows the messages, with its style sheet and script inline. The policy names both by hash, so
 * nothing in a message can run.
 */
export async function pageRoutes(): Promise<Router> {
  const [html, style, script] = await Promise.all(['index.html', 'page.css', 'page.js'].map(readPageFile))
  const page = html!
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
    .replace('<script type="module" src="page.js"></script>', () => `<script type="module">${script}</script>`)
  const policy = [
    "default-src 'none'",
    "connect-src 'self'",
    'img-src data:',
    // The HTML of an email; its own policy keeps it from running and loading anything.
    "frame-src 'self'",
    `style-src '${hashOf(style!)}'`,
    `script-src '${hashOf(script!)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const headers = {
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
  return Router().get('/', (_req, res) => void res.set(headers).type('html').send(page))
}

function readPageFile(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.url), 'utf8')
}

/** As a Content-Security-Policy names an inline element. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
