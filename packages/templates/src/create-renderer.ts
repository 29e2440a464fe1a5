import { createTenantTurns, type Logger, ownLoopTurn, Problem } from '@notify/service-kit'
import type { Format } from './format.ts'
import { escapeHtml, joinPlain, lookUpValues, type PlainTemplate, parsePlain } from './plain-template.ts'
import type { RenderJob, TemplateText } from './render-job.ts'
import { createRenderThreads } from './render-threads.ts'
import { createTemplateCache } from './template-cache.ts'
import { TemplateFault } from './template-fault.ts'
import { renderLimitMs, requireBounds } from './template-limits.ts'
import { type NamedTemplate, problemOf } from './template-problem.ts'
import { createTenantBudget } from './tenant-budget.ts'
import { threadCpuMs } from './thread-cpu.ts'
import type { VariablePath } from './variables.ts'

/** `Renderer.fill` for a known tenant. */
export type Fill = (texts: readonly NamedTemplate[], variables: Record<string, unknown>) => Promise<string[]>

/** `Renderer.inTurn` for a known tenant. */
export type InTurn = <T>(work: () => T) => Promise<T>

/** Renders templates of tenants without blocking each other or the process. */
export interface Renderer {
  /**
   * Renders the texts of one message.
   * @param format how filters write numbers, times and lists; by default English, in UTC
   * @throws Problem `template_variable_missing` naming the variable, `validation_failed` for a template that cannot be
   * rendered, `rate_limited` when the tenant's CPU or size budget is exhausted
   */
  fill(
    tenantId: string,
    texts: readonly NamedTemplate[],
    variables: Record<string, unknown>,
    format?: Format,
  ): Promise<string[]>
  /** The fault of a template, checked without rendering; `undefined` if none. @throws Problem `rate_limited` */
  faultOf(tenantId: string, text: TemplateText): Promise<string | undefined>
  /** The variables that templates read, each template within the limits. @throws Problem `rate_limited` */
  variablesOf(tenantId: string, texts: readonly TemplateText[]): Promise<VariablePath[]>
  /**
   * Charges a tenant for a large text. Characters of its message that were charged before let it in, if they were not free.
   * @throws Problem `rate_limited`
   */
  charge(tenantId: string, characters: number, charged?: number): void
  /**
   * Does other work on a text, which holds up the process, in the tenant's turn. Its CPU time counts like that of templates.
   * @throws Problem `rate_limited` before the work when the tenant's CPU budget is exhausted; what the work throws
   */
  inTurn<T>(tenantId: string, work: () => T): Promise<T>
  close(): Promise<void>
}

interface Options {
  threads: number
  /** CPU budget of a tenant's templates and other work, in milliseconds per second. */
  msPerSecond: number
  metrics: { render(outcome: 'filled' | 'refused' | 'killed'): void }
  log: Pick<Logger, 'error'>
}

const killAfterMs = 3 * renderLimitMs
/** Charged for a killed thread, because its successor must start. */
const killCostMs = 500
const maxWaiting = 500
/** Longest wait for the turn, nearly always behind the tenant's own templates; a batch is answered long before it is too late. */
const longestTurnMs = 2000
/** Parsing longer ones together takes milliseconds. */
const quicklyParsed = 5000
/** Texts up to this length are free; longer ones are charged for encrypting, storing and sending. */
const freeCharacters = 50_000
/** A megabyte takes some 100 ms of CPU in all processes together, and delays everything behind it. */
const charactersPerMs = 2500
/** Seconds of budget for large texts that may accumulate: a few emails of a megabyte. */
const burst = 4

export function createRenderer({ threads, msPerSecond, metrics, log }: Options): Renderer {
  const turns = createTenantTurns({ places: threads, maxWaiting })
  /** Separate budgets, so that templates with tags never block a tenant's plain ones. */
  const budgets = {
    cpu: createTenantBudget({ msPerSecond }),
    largeTexts: createTenantBudget({ msPerSecond, savedMs: burst * msPerSecond }),
  }
  const bounds = { maxEntries: 1000, maxBytes: 16 * 1024 * 1024 }
  type Known = { parsed: PlainTemplate | undefined }
  const plain = { text: createTemplateCache<Known>(bounds), html: createTemplateCache<Known>(bounds) }
  const pool = createRenderThreads({
    threads,
    killAfterMs,
    onKill: () => metrics.render('killed'),
    onError: (error) => log.error({ err: error }, 'render thread failed'),
  })

  const parse = ({ form, template }: TemplateText, remember: boolean): PlainTemplate | undefined => {
    const known = plain[form].get(template)
    if (known) return known.parsed
    requireBounds(form, template)
    const parsed = parsePlain(template)
    if (remember) plain[form].set(template, { parsed }, 4 * template.length)
    return parsed
  }

  const inThread = async (
    tenantId: string,
    texts: readonly TemplateText[],
    given: Partial<Pick<RenderJob, 'variables' | 'remember' | 'format' | 'listsVariables'>> = {},
  ) => {
    const { variables, remember = false, ...rest } = given
    const turn = turns.enter(tenantId)
    if (!turn) throw overBudget(cpuTimeUsedUp)
    const askedMs = performance.now()
    const leave = await turn
    try {
      const isLate = performance.now() - askedMs > longestTurnMs
      if (isLate || !budgets.cpu.has(tenantId)) throw overBudget(cpuTimeUsedUp)
      const { cpuMs, ...answer } = await pool.run({ texts: texts.map(bare), variables, remember, ...rest })
      budgets.cpu.spend(tenantId, cpuMs)
      return answer
    } catch (error) {
      if (error instanceof TemplateFault) budgets.cpu.spend(tenantId, killCostMs)
      throw error
    } finally {
      leave()
    }
  }

  const charge: Renderer['charge'] = (tenantId, characters, charged = 0) => {
    const costly = charged + characters - Math.max(charged, freeCharacters)
    if (costly <= 0) return
    if (charged <= freeCharacters && !budgets.largeTexts.has(tenantId)) throw overBudget(sizeUsedUp)
    budgets.largeTexts.spend(tenantId, costly / charactersPerMs)
  }

  /** Calls `step` for each text up to the first fault. */
  const untilFault = <T>(texts: readonly NamedTemplate[], step: (text: NamedTemplate, at: number) => T) => {
    const results: T[] = []
    for (const [at, text] of texts.entries()) {
      try {
        results.push(step(text, at))
      } catch (error) {
        return { results, fault: { at, error } }
      }
    }
    return { results, fault: undefined }
  }

  /** Renders the plain templates, up to the first fault; the others are `left`. */
  const fillPlainOnes = async (
    tenantId: string,
    texts: readonly NamedTemplate[],
    variables: Record<string, unknown>,
  ) => {
    const unknown = texts.filter(({ form, template }) => !plain[form].get(template))
    if (unknown.reduce((sum, { template }) => sum + template.length, 0) > quicklyParsed) await ownLoopTurn(tenantId)
    const { results: found, fault } = untilFault(texts, (text) => {
      const parsed = parse(text, isKept(text))
      return parsed && { parsed, ...lookUpValues(parsed, variables) }
    })
    const length = found.reduce((sum, one) => sum + (one?.length ?? 0), 0)
    if (length > freeCharacters) {
      await ownLoopTurn(tenantId)
      charge(tenantId, length)
    }
    const joined = untilFault(texts.slice(0, found.length), ({ form }, at) => {
      const one = found[at]
      return one && joinPlain(one.parsed, one.values, form === 'html' ? escapeHtml : undefined)
    })
    const filled: (string | undefined)[] = joined.results
    const left = [...found.keys()].filter((at) => found[at] === undefined && at < filled.length)
    return { filled, left, fault: joined.fault ?? fault }
  }

  const fillOthers = async (
    tenantId: string,
    texts: readonly NamedTemplate[],
    variables: string,
    left: readonly number[],
    filled: (string | undefined)[],
    format: Format | undefined,
  ) => {
    const chosen = left.map((at) => texts[at]!)
    const remember = chosen.every(isKept)
    const { fault, texts: made } = await inThread(tenantId, chosen, { variables, remember, format }).catch(
      (error: unknown) => {
        throw problemOf(error, chosen[0]!)
      },
    )
    metrics.render(fault ? 'refused' : 'filled')
    if (fault) throw problemOf(new TemplateFault(fault.message, fault.missing), chosen[fault.at]!)
    for (const [index, at] of left.entries()) filled[at] = made[index]!
  }

  return {
    async fill(tenantId, texts, variables, format) {
      const { filled, left, fault } = await fillPlainOnes(tenantId, texts, variables)
      // The first of several faults is reported.
      if (left.length > 0) await fillOthers(tenantId, texts, JSON.stringify(variables), left, filled, format)
      if (fault) throw problemOf(fault.error, texts[fault.at]!)
      const length = left.reduce((sum, at) => sum + filled[at]!.length, 0)
      charge(tenantId, length)
      return filled as string[]
    },
    async faultOf(tenantId, text) {
      try {
        if (parse(text, false)) return undefined
        return (await inThread(tenantId, [text])).fault?.message
      } catch (error) {
        if (error instanceof TemplateFault) return error.message
        throw error
      }
    },
    async variablesOf(tenantId, texts) {
      const left: TemplateText[] = []
      const found = texts.flatMap((text) => {
        const parsed = parse(text, false)
        if (!parsed) left.push(text)
        return parsed?.paths ?? []
      })
      if (left.length === 0) return found
      const answer = await inThread(tenantId, left, { listsVariables: true })
      return [...found, ...answer.texts.flatMap((text): VariablePath[] => JSON.parse(text))]
    },
    charge,
    async inTurn(tenantId, work) {
      await ownLoopTurn(tenantId)
      if (!budgets.cpu.has(tenantId)) throw overBudget(cpuTimeUsedUp)
      const startedMs = threadCpuMs()
      try {
        return work()
      } finally {
        budgets.cpu.spend(tenantId, threadCpuMs() - startedMs)
      }
    },
    close: () => pool.close(),
  }
}

/** Whether other messages use the template too. */
const isKept = ({ part }: NamedTemplate) => part === undefined || part === 'layout_id'

const bare = ({ form, template }: TemplateText): TemplateText => ({ form, template })

const cpuTimeUsedUp = 'The templates and HTML texts of this tenant use too much CPU time; wait and try again'
const sizeUsedUp = `This tenant sends too much text in messages over ${freeCharacters} characters; wait and try again`

function overBudget(detail: string): Problem {
  return new Problem('rate_limited', detail)
}
