import { createRenderer, type Renderer } from '@notify/templates'

/** A renderer whose tenants may take all the time there is. */
export function startRenderer(options: Partial<Parameters<typeof createRenderer>[0]> = {}): Renderer {
  return createRenderer({
    threads: 1,
    msPerSecond: 1_000_000,
    metrics: { render: () => {} },
    log: { error: () => {} },
    ...options,
  })
}
