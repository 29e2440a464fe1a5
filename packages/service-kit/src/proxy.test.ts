import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { z } from 'zod'
import { loadConfig } from './config.ts'
import { followProxy, proxyConfig, refusedProxyConfig } from './proxy.ts'

afterEach(() => {
  delete process.env.HTTPS_PROXY
  delete process.env.NO_PROXY
})

test('requests of fetch, such as those to the identity provider, go through the proxy that the configuration names', async () => {
  const asked: (string | undefined)[] = []
  const proxy = createServer().on('connect', ({ url }, socket: Socket) => {
    asked.push(url)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const restore = followProxy(loadConfig(z.object(proxyConfig), { HTTPS_PROXY, NO_PROXY: 'direct.invalid' }))
  try {
    for (const host of ['login.invalid', 'direct.invalid']) await expect(fetch(`https://${host}`)).rejects.toThrow()
  } finally {
    restore()
    proxy.close()
  }
  expect(asked).toEqual(['login.invalid:443'])
  expect(process.env).toMatchObject({ HTTPS_PROXY, NO_PROXY: 'direct.invalid' })
})

test.each(['HTTPS_PROXY', 'https_proxy'])('a service that must connect by itself refuses %s, and says why', (name) => {
  const Config = z.object(refusedProxyConfig('is set, but this service connects directly'))
  expect(loadConfig(Config, {})).toEqual({})
  expect(() => loadConfig(Config, { [name]: 'http://proxy:3128' })).toThrow(
    `${name}: is set, but this service connects directly (Must not be set)`,
  )
})
