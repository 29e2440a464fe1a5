// The worker thread. Imports only Liquid and these rules, so that it starts fast.
import { checkTemplate, fillTemplate } from './fill-template.ts'
import type { RenderAnswer, RenderJob } from './render-job.ts'
import { TemplateFault, takesTooLong } from './template-fault.ts'
import { renderLimitMs } from './template-limits.ts'

/** Runs a job. Repeats it once on a time limit, because a busy machine may have taken the time. */
export function render(job: RenderJob): RenderAnswer {
  Atomics.store(job.begun, 0, 1)
  const cpuBefore = process.threadCpuUsage()
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage(cpuBefore)
    return (user + system) / 1000
  }
  let answer = attempt(job)
  if (answer.fault?.message === takesTooLong && cpuMs() < renderLimitMs / 2) answer = attempt(job)
  return { ...answer, cpuMs: cpuMs() }
}

function attempt({ texts, variables, remember }: RenderJob): Omit<RenderAnswer, 'cpuMs'> {
  const endsAt = performance.now() + renderLimitMs
  const parsed = variables === undefined ? undefined : JSON.parse(variables)
  const done: string[] = []
  for (const { form, template } of texts) {
    try {
      if (parsed === undefined) checkTemplate(form, template)
      else done.push(fillTemplate(form, template, parsed, { remember, limitMs: endsAt - performance.now() }))
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error
      return { texts: [], fault: { at: done.length, message: error.message, missing: error.missing } }
    }
  }
  return { texts: done, fault: undefined }
}

// The first templates of a thread run many times slower.
const sample =
  '{% for item in items %}{% if item.name != "" %}{{ item.name | upcase | append: "!" }}{% endif %}{% endfor %}'
for (let round = 0; round < 20; round++) {
  for (const form of ['text', 'html'] as const) {
    fillTemplate(form, sample, { items: [{ name: 'a' }, { name: 'b' }] }, { remember: false, limitMs: 60_000 })
  }
}
