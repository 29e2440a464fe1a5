import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
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

/** Waits until its threads have started: on a busy machine this takes longer than a caller waits. */
export async function untilRenders(renderer: Renderer): Promise<void> {
  await eventually(() => renderer.faultOf(newId('ten'), { form: 'text', template: '{{ a | upcase }}' }))
}
