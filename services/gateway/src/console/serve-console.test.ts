import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Door } from '@notify/service-kit'
import { closedPort } from '@notify/test-kit/http'
import express from 'express'
import { createBuiltFiles } from './built-files.ts'
import { serveConsole } from './serve-console.ts'

let folder: string
let server: Server

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notify-console-'))
  const app = express()
  const issuer = `http://127.0.0.1:${await closedPort()}`
  const config = { OIDC_ISSUER: issuer, CONSOLE_CLIENT_ID: 'console', CONSOLE_SCOPE: 'openid' }
  serveConsole(app, {} as Door, config, createBuiltFiles(pathToFileURL(`${folder}/`)))
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)

test('an unbuilt console is a page that says how to build it, and is replaced once the build is there', async () => {
  const before = await get('/console/activity')
  expect([before.status, before.headers.get('retry-after')]).toEqual([503, '10'])
  expect(await before.text()).toContain('The console is not built')
  const policy = before.headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none';.*style-src 'sha256-[\w+/]+=*'$/)
  expect((await get('/console/assets/index.js')).status).toBe(404)

  writeFileSync(join(folder, 'index.html'), '<title>Console</title>')
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets', 'index.js'), 'export {}')
  const after = await get('/console/activity')
  expect([after.status, await after.text(), after.headers.get('retry-after')]).toEqual([
    200,
    '<title>Console</title>',
    null,
  ])
  expect((await get('/console/assets/index.js')).status).toBe(200)
})
