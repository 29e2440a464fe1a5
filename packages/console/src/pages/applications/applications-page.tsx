import { useParams } from 'react-router'
import { ApplicationDetail } from './application-detail.tsx'
import { ApplicationList } from './application-list.tsx'

/** The applications, or one application with its keys and settings. */
export function ApplicationsPage() {
  const { id } = useParams()
  return id ? <ApplicationDetail key={id} id={id} /> : <ApplicationList />
}
