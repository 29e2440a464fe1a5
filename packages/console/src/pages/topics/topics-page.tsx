import { useParams } from 'react-router'
import { FirstApplication, rememberApplication } from '../../ui/first-application.tsx'
import { TopicList } from './topic-list.tsx'

/** The topics of an application. */
export function TopicsPage() {
  const { applicationId, topicKey } = useParams()
  if (!applicationId) return <FirstApplication title="Topics" path="/topics" />
  rememberApplication(applicationId)
  return <TopicList key={applicationId} applicationId={applicationId} openKey={topicKey} />
}
