import { useOperators } from '../api/operators.ts'
import { PlainText } from './plain-text.tsx'

/** The name of an operator, else the email address, else the id. */
export function OperatorName({ id }: { id: string }) {
  const operator = useOperators().get(id)
  const text = operator?.name ?? operator?.email
  if (!text) return <code className="font-mono text-xs text-soft">{id}</code>
  return (
    <span title={operator?.email ?? id}>
      <PlainText>{text}</PlainText>
    </span>
  )
}
