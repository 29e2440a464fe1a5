import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { UserId } from './inbox.ts'
import { listQuery, pageOf, wholeNumber } from './list.ts'
import { KeyMode, modeFilter } from './permissions.ts'
import { apiKey, apiKeyOrOperator, defineRoute, NoContent } from './route.ts'
import { Timestamp } from './text.ts'

/** Longest data of a member, as JSON. */
export const maxMemberData = 4096
/** Members of one import. */
export const maxImportedMembers = 1000

const Name = z.string().trim().min(1).max(200)

/** Variables of one member. */
const MemberData = z
  .record(z.string().max(64), z.json())
  .refine(
    (data) => JSON.stringify(data).length <= maxMemberData,
    `must have at most ${maxMemberData} characters as JSON`,
  )
  .meta({ description: 'Variables of templates for this member. They replace those of the broadcast.' })

export const List = z
  .object({
    list_id: idSchema('list'),
    application_id: idSchema('app'),
    mode: KeyMode,
    name: Name,
    member_count: z.int().meta({ example: 12 }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'List' })
export type List = z.output<typeof List>

const NewMember = z.strictObject({ user_id: UserId, data: MemberData.optional() })
export type NewMember = z.output<typeof NewMember>

export const ListMember = z
  .object({ user_id: UserId, data: MemberData.nullable(), added_at: Timestamp })
  .meta({ id: 'ListMember' })
export type ListMember = z.output<typeof ListMember>

/** Operators see lists; only an application changes them. */
const readers = apiKeyOrOperator('lists:manage', 'activity:read')
const auth = apiKey('lists:manage')
const path = '/api/v1/lists/:list_id'
const params = z.object({ list_id: givenId('list') })

export const listLists = defineRoute({
  name: 'listLists',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/lists',
  summary: 'List the lists of users, newest first',
  auth: readers,
  query: z.strictObject({ ...modeFilter, ...listQuery }),
  responses: { 200: pageOf(List).meta({ id: 'ListList' }) },
  errors: [],
})

export const createList = defineRoute({
  name: 'createList',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/lists',
  summary: 'Create a list of users',
  auth,
  body: z.strictObject({ name: Name }).meta({ id: 'NewList' }),
  responses: { 201: List },
  errors: ['list_limit_reached', ...idempotencyErrors],
})

export const getList = defineRoute({
  name: 'getList',
  service: 'dispatch',
  method: 'GET',
  path,
  summary: 'Retrieve a list',
  auth: readers,
  params,
  responses: { 200: List },
  errors: ['list_not_found'],
})

export const changeList = defineRoute({
  name: 'changeList',
  service: 'dispatch',
  method: 'PATCH',
  path,
  summary: 'Rename a list',
  auth,
  params,
  body: z.strictObject({ name: Name }).meta({ id: 'ListChange' }),
  responses: { 200: List },
  errors: ['list_not_found'],
})

export const deleteList = defineRoute({
  name: 'deleteList',
  service: 'dispatch',
  method: 'DELETE',
  path,
  summary: 'Delete a list with its members. Broadcasts to it end.',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['list_not_found'],
})

export const listMembers = defineRoute({
  name: 'listMembers',
  service: 'dispatch',
  method: 'GET',
  path: `${path}/members`,
  summary: 'List the members of a list, in no meaningful order. Pages of 1,000 export it.',
  auth,
  params,
  query: z.strictObject({
    ...listQuery,
    limit: wholeNumber(1, maxImportedMembers).default(20).meta({ description: 'Items per page' }),
  }),
  responses: { 200: pageOf(ListMember).meta({ id: 'ListMembers' }) },
  errors: ['list_not_found'],
})

export const putMembers = defineRoute({
  name: 'putMembers',
  service: 'dispatch',
  method: 'PUT',
  path: `${path}/members`,
  summary: 'Add up to 1,000 members to a list. Known members get the new data.',
  auth,
  params,
  body: z
    .strictObject({
      members: z
        .array(NewMember)
        .min(1, 'must have at least one member')
        .max(maxImportedMembers, `must have at most ${maxImportedMembers} members`),
    })
    .meta({ id: 'NewListMembers' }),
  maxBodyBytes: 6 * 1024 * 1024,
  // Some 35 variables of each member.
  maxValues: 40_000,
  responses: {
    200: z
      .object({ added: z.int().meta({ example: 2 }), member_count: z.int().meta({ example: 12 }) })
      .meta({ id: 'ListImport' }),
  },
  errors: ['list_not_found', 'member_limit_reached'],
})

export const deleteMember = defineRoute({
  name: 'deleteMember',
  service: 'dispatch',
  method: 'DELETE',
  path: `${path}/members`,
  summary: 'Remove a member from a list',
  auth,
  params,
  query: z.strictObject({ user_id: UserId }),
  responses: { 204: NoContent },
  errors: ['list_not_found', 'not_found'],
})
