// The worker thread. Imports only Liquid and these rules, so that it starts fast.
import { constants, getPriority, setPriority } from 'node:os'
import { threadId } from 'node:worker_threads'
import { checkTemplate, fillTemplate } from './fill-template.ts'
import { defaultFormat } from './format.ts'
import type { RenderAnswer, RenderJob } from './render-job.ts'
import { TemplateFault } from './template-fault.ts'
import { renderLimitMs } from './template-limits.ts'
import { threadCpuMs } from './thread-cpu.ts'
import { variablesOf } from './variables.ts'

/** Added to the nice value of the process: while the CPU is short, Linux gives such a thread a third of what others get. */
const niceness = 5

// Liquid measures its time limit with this clock: on a busy machine a template still has all of its CPU time.
performance.now = threadCpuMs

export function render(job: RenderJob): RenderAnswer {
  Atomics.store(job.begunBy, 0, threadId)
  const startMs = threadCpuMs()
  return { ...renderTexts(job), cpuMs: threadCpuMs() - startMs }
}

function renderTexts({
  texts,
  variables,
  remember,
  format = defaultFormat,
  listsVariables,
}: RenderJob): Omit<RenderAnswer, 'cpuMs'> {
  if (listsVariables)
    return { texts: texts.map(({ template }) => JSON.stringify(variablesOf(template))), fault: undefined }
  const endsAtMs = threadCpuMs() + renderLimitMs
  const parsed = variables === undefined ? undefined : JSON.parse(variables)
  const done: string[] = []
  for (const { form, template } of texts) {
    try {
      if (parsed === undefined) checkTemplate(form, template)
      else done.push(fillTemplate(form, template, parsed, { remember, limitMs: endsAtMs - threadCpuMs(), format }))
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error
      return { texts: [], fault: { at: done.length, message: error.message, missing: error.missing } }
    }
  }
  return { texts: done, fault: undefined }
}

// The first templates of a thread run many times slower.
const sample =
  '{% for item in items %}{% if item.name != "" %}{{ item.name | upcase | append: "!" }}{% endif %}{% endfor %}' +
  '{{ 1 | plural: other: "#" }}{{ 1 | currency: "EUR" }}{{ 0 | date_time }}'
for (let round = 0; round < 20; round++) {
  for (const form of ['text', 'html'] as const) {
    fillTemplate(form, sample, { items: [{ name: 'a' }, { name: 'b' }] }, { remember: false, limitMs: 60_000 })
  }
}

// Requests come before templates, once this thread is ready. Elsewhere the priority would be that of the whole process.
if (process.platform === 'linux') setPriority(Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW))
