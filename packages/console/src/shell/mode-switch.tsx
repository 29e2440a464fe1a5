import { type Mode, useMode } from '../ui/mode.ts'

const choices: readonly [mode: Mode | undefined, name: string][] = [
  [undefined, 'All'],
  ['live', 'Live'],
  ['test', 'Test'],
]

/** Whether pages show what live keys made, what test keys made, or both. */
export function ModeSwitch({ className = '' }: { className?: string }) {
  const { mode, choose } = useMode()
  return (
    <fieldset className={`flex rounded-md border border-line bg-surface p-px ${className}`}>
      <legend className="sr-only">Messages of live or test keys</legend>
      {choices.map(([each, name]) => (
        <button
          key={name}
          type="button"
          aria-pressed={mode === each}
          onClick={() => choose(each)}
          className={`h-[26px] flex-1 rounded-[5px] px-2 ${mode === each ? 'bg-selected font-medium text-text' : 'text-soft hover:text-text'}`}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}

/** Reminds of what the switch hides. */
export function ModeBanner() {
  const { mode } = useMode()
  return (
    <div role="status">
      {mode === 'test' ? (
        <p className="border-b border-line bg-busy-fill px-6 py-1 text-busy max-md:px-4">
          Test: messages of test keys, which go to the sandbox and never to a person.
        </p>
      ) : null}
    </div>
  )
}
