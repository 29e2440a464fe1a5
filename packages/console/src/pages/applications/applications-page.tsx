import { useParams } from 'react-router'
import { ApplicationDetail } from './application-detail.tsx'
import { ApplicationList } from './application-list.tsx'

/** Applications, and of one its keys and settings. */
export function ApplicationsPage() {
  const { id } = useParams()
  return id ? <ApplicationDetail key={id} id={id} /> : <ApplicationList />
}
