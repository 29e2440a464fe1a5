import { useState } from 'react'
import { useNavigate } from 'react-router'
import { answer, api } from '../../api/client.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { KeyPanel } from './key-panel.tsx'
import { type Application, useApplication, useRefreshApplications } from './queries.ts'
import { SettingsForm } from './settings-form.tsx'

/** One application: its keys and its settings. */
export function ApplicationDetail({ id }: { id: string }) {
  const { data, error, refetch } = useApplication(id)
  if (error && !data) {
    return (
      <>
        <PageHeader title="Application" />
        <ErrorState error={error} onRetry={() => void refetch()} />
      </>
    )
  }
  return (
    <>
      <BackLink to="/applications">Applications</BackLink>
      <PageHeader title={data?.name ?? 'Application'}>{data ? <Delete application={data} /> : null}</PageHeader>
      <p className="-mt-3 mb-4 text-soft">
        <CopyableId id={id} what="application id" />
      </p>
      <KeyPanel applicationId={id} />
      <section aria-labelledby="settings" className="mt-6 max-w-xl">
        <h2 id="settings" className="pb-3 text-base font-semibold">
          Settings
        </h2>
        {data ? <SettingsForm key={id} application={data} /> : <Skeleton lines={6} />}
      </section>
    </>
  )
}

function Delete({ application: { application_id, name } }: { application: Application }) {
  const [asking, setAsking] = useState(false)
  const navigate = useNavigate()
  const refresh = useRefreshApplications()
  const remove = async () => {
    await answer(api.DELETE('/api/v1/applications/{application_id}', { params: { path: { application_id } } }))
    void navigate('/applications')
    void refresh()
    showToast({ tone: 'good', text: 'The application is deleted.' })
  }
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        Delete
      </Button>
      {asking ? (
        <Confirm
          title="Delete this application?"
          action="Delete the application"
          danger
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <PlainText className="font-medium text-text">{name}</PlainText> can send nothing any more: its API keys and
          the tokens of its users stop working at once. Its lists and users are deleted later, and its activity is kept.
          This cannot be undone.
        </Confirm>
      ) : null}
    </>
  )
}
