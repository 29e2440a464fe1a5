import { PlainText, TextBlock } from '../ui/plain-text.tsx'
import type { Difference, Named } from './compare-texts.ts'
import { DifferenceView } from './difference-view.tsx'

interface VersionContentsProps {
  texts: readonly Named[]
  /** What restoring the version changes; undefined for the current one. */
  differences: readonly Difference[] | undefined
}

/** The texts of an older version, and the changes of restoring it. */
export function VersionContents({ texts, differences }: VersionContentsProps) {
  return (
    <div className="flex flex-col gap-6">
      {differences ? (
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">What restoring it changes</h3>
          <DifferenceView differences={differences} />
        </section>
      ) : null}
      <section className="flex flex-col gap-3">
        <h3 className="font-semibold">Contents</h3>
        {texts.map(([label, text]) => (
          <div key={label} className="flex flex-col gap-1">
            <h4 className="text-faint">{label}</h4>
            {text.length > 80 || text.includes('\n') ? (
              <TextBlock label={label}>{text}</TextBlock>
            ) : (
              <PlainText className="[overflow-wrap:anywhere]">{text}</PlainText>
            )}
          </div>
        ))}
      </section>
    </div>
  )
}
