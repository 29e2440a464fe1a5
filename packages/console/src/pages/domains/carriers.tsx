import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { carrierStatuses, type Domain } from './words.ts'

/** Whether each carrier lets its account send from the domain. */
export function Carriers({ carriers }: Pick<Domain, 'carriers'>) {
  return (
    <section aria-label="Carriers" className="pt-4">
      <h2 className="pb-2 font-semibold">Carriers</h2>
      <Panel>
        <ul>
          {carriers.map(({ provider_id, name, kind, status, error }) => (
            <li key={provider_id} className="border-b border-line px-4 py-3 last:border-b-0">
              <p className="flex flex-wrap items-center gap-x-2">
                <span className="font-semibold">
                  {name} <span className="font-mono text-xs font-normal">{kind}</span>
                </span>
                <span className="flex-1 text-faint">{carrierStatuses[status].means}</span>
                <Badge tone={carrierStatuses[status].tone}>{carrierStatuses[status].name}</Badge>
              </p>
              {error ? (
                <p className="pt-1 text-faint [overflow-wrap:anywhere]">
                  <PlainText>{error}</PlainText>
                </p>
              ) : null}
            </li>
          ))}
        </ul>
      </Panel>
    </section>
  )
}
