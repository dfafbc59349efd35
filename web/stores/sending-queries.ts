import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import * as mailbox from '../../shared/bounce-mailbox.ts'
import * as links from '../../shared/link-host.ts'
import { checkSenderDomain, listThrottledDomains, readSendingStates, sendTestMail } from '../../shared/sending.ts'
import { call } from '../api.ts'
import { mailServerQuery } from './mail-server-queries.ts'

export function useTestMail() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(sendTestMail),
    // Other screens show whether a test mail was accepted.
    onSuccess: () => queries.invalidateQueries({ queryKey: mailServerQuery.queryKey }),
  })
}

export const useSendingStates = (storeId: string) =>
  useQuery({
    queryKey: ['store', storeId, 'sending-states'],
    queryFn: ({ signal }) => call(readSendingStates, { query: { storeId }, signal }),
    staleTime: 0,
  })

/** Checks once per selector; again only on request. */
export const useSenderDomain = (storeId: string, selector: string) =>
  useQuery({
    queryKey: ['store', storeId, 'sender-domain', selector],
    queryFn: ({ signal }) => call(checkSenderDomain, { query: { storeId, selector: selector || undefined }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })

export const useThrottledDomains = () =>
  useQuery({ queryKey: ['paused-receivers'], queryFn: ({ signal }) => call(listThrottledDomains, { signal }) })

const mailboxQuery = queryOptions({
  queryKey: ['bounce-mailbox'],
  queryFn: ({ signal }): Promise<mailbox.MailboxView> => call(mailbox.readBounceMailbox, { signal }),
})

export const useBounceMailbox = () => useQuery(mailboxQuery)

/** The answer replaces the cached state. */
function useMailboxChange<Input>(change: (input: Input) => Promise<mailbox.MailboxView>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (view) => queries.setQueryData(mailboxQuery.queryKey, view),
  })
}

export const useSaveBounceMailbox = () =>
  useMailboxChange((body: z.input<typeof mailbox.saveBounceMailbox.body>) => call(mailbox.saveBounceMailbox, { body }))

export const useRemoveBounceMailbox = () => useMailboxChange((_: undefined) => call(mailbox.removeBounceMailbox))

const linkHostQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['store', storeId, 'link-host'],
    queryFn: ({ signal }): Promise<links.LinkHostView> => call(links.readLinkHost, { query: { storeId }, signal }),
  })

export const useLinkHost = (storeId: string) => useQuery(linkHostQuery(storeId))

/** The answer replaces the cached state. Without a host, the custom host is removed. */
export function useChangeLinkHost(storeId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (host: string | null): Promise<links.LinkHostView> =>
      host === null
        ? call(links.removeLinkHost, { query: { storeId } })
        : call(links.saveLinkHost, { query: { storeId }, body: { host } }),
    onSuccess: (view) => queries.setQueryData(linkHostQuery(storeId).queryKey, view),
  })
}
