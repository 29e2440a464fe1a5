import type { Channel } from '../../channels/channel.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { curlOf, keyVariable } from './first-request.ts'

interface SendCommandProps {
  channel: Channel
  /** The key that was created on this page, or the variable for it. */
  apiKey: string
}

/** The request to copy. The key is copied with it, but not shown. */
export function SendCommand({ channel, apiKey }: SendCommandProps) {
  const commandWith = (key: string) => curlOf({ origin: location.origin, apiKey: key, channel })
  return (
    <>
      {apiKey === keyVariable
        ? 'Set NOTIFY_KEY to your key in the shell, then run:'
        : 'Run this in a shell; the copy has your key in it:'}
      <div className="mt-2 flex items-start gap-2 rounded-md border border-line bg-sunken py-2 pr-2 pl-3">
        <pre className="min-w-0 flex-1 font-mono text-xs whitespace-pre-wrap text-text [overflow-wrap:anywhere]">
          {commandWith(keyVariable)}
        </pre>
        <CopyButton text={commandWith(apiKey)} label="Copy the command" />
      </div>
    </>
  )
}
