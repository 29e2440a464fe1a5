import { useMemo } from 'react'
import { useApplications } from '../api/applications.ts'
import { PlainText } from './plain-text.tsx'

/** The names of the applications by their ids; empty without the permission to list them. */
export function useApplicationNames(): ReadonlyMap<string, string> {
  const { data } = useApplications()
  return useMemo(() => new Map(data?.items.map(({ application_id, name }) => [application_id, name])), [data])
}

/** The name if the operator may see it, else the id. */
export function ApplicationName({ id }: { id: string }) {
  const name = useApplicationNames().get(id)
  if (name === undefined) return <code className="font-mono text-xs">{id}</code>
  return <PlainText className="inline-block max-w-48 truncate align-bottom">{name}</PlainText>
}
