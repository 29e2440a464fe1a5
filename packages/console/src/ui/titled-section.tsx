import { type ReactNode, useId } from 'react'

/** A part of a page below its own heading. */
export function TitledSection({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-base font-semibold">
        {title}
      </h2>
      {lead ? <p className="text-soft">{lead}</p> : null}
      <div className="pt-2">{children}</div>
    </section>
  )
}
