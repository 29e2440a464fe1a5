import { useParams } from 'react-router'
import { FirstApplication, rememberApplication } from '../../ui/first-application.tsx'
import { DigestList } from './digest-list.tsx'

/** The digests of an application that are not sent yet. */
export function DigestsPage() {
  const { applicationId } = useParams()
  if (!applicationId) return <FirstApplication title="Digests" path="/digests" />
  rememberApplication(applicationId)
  return <DigestList key={applicationId} applicationId={applicationId} />
}
