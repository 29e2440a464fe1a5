import {
  cancelBroadcast as cancelContract,
  changeList as changeListContract,
  closeDigest as closeDigestContract,
  createBroadcast as createBroadcastContract,
  createList as createListContract,
  deleteList as deleteListContract,
  deleteMember as deleteMemberContract,
  getBroadcast as getBroadcastContract,
  getList as getListContract,
  listBroadcasts as listBroadcastsContract,
  listDigests as listDigestsContract,
  listLists as listListsContract,
  listMembers as listMembersContract,
  pauseBroadcast as pauseContract,
  putMembers as putMembersContract,
  resumeBroadcast as resumeContract,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import type { AcceptContext } from '../accept/accept-item.ts'
import { cancelBroadcast, pauseBroadcast, resumeBroadcast } from './broadcasts/control-broadcast.ts'
import { createBroadcast } from './broadcasts/create-broadcast.ts'
import { getBroadcast, listBroadcasts } from './broadcasts/read-broadcasts.ts'
import { closeDigest, listDigests } from './digests/operate-digests.ts'
import { changeList, createList, deleteList } from './lists/change-lists.ts'
import { deleteMember, putMembers } from './lists/change-members.ts'
import { getList, listLists, listMembers } from './lists/read-lists.ts'

/** The routes of lists, broadcasts and digests. */
export const audienceRoutes: readonly RouteEntry<AcceptContext>[] = [
  route(listListsContract, listLists),
  route(createListContract, createList),
  route(getListContract, getList),
  route(changeListContract, changeList),
  route(deleteListContract, deleteList),
  route(listMembersContract, listMembers),
  route(putMembersContract, putMembers),
  route(deleteMemberContract, deleteMember),
  route(createBroadcastContract, createBroadcast),
  route(listBroadcastsContract, listBroadcasts),
  route(getBroadcastContract, getBroadcast),
  route(pauseContract, pauseBroadcast),
  route(resumeContract, resumeBroadcast),
  route(cancelContract, cancelBroadcast),
  route(listDigestsContract, listDigests),
  route(closeDigestContract, closeDigest),
]
