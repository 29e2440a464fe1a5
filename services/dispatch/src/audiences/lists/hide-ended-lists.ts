import { defineStatement, type Queries } from '@notify/database'

/** Requests under way may still create lists: a principal is valid for two minutes. */
const hideLists = defineStatement({
  name: 'hide-lists-of-ended-applications',
  text: `
    update lists l set deleted_at = date_trunc('milliseconds', now()) from ended_applications e
    where e.emptied_at is null and e.ended_at < now() - interval '5 minutes'
      and l.tenant_id = e.tenant_id and l.application_id = e.application_id and l.deleted_at is null`,
})

/** Hides the lists of deleted applications; their members are deleted as those of other deleted lists. */
export async function hideListsOfEnded({ runLong }: Pick<Queries, 'runLong'>): Promise<void> {
  await runLong(hideLists)
}
