import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { readBudget, saveBudget } from '../../shared/reminders.ts'
import * as api from '../../shared/text-channels.ts'
import { call } from '../api.ts'

type Channels = { sms: api.TextChannelView; whatsapp: api.TextChannelView }

const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: ({ signal }): Promise<Channels> => call(api.readTextChannels, { signal }),
})

export const useTextChannels = () => useQuery(channelsQuery)

/** The answer replaces the cached state. */
function useChannelChange<Input>(change: (input: Input) => Promise<api.TextChannelView>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (view) => queries.setQueryData(channelsQuery.queryKey, (old) => old && { ...old, [view.channel]: view }),
  })
}

export const useSaveSms = () =>
  useChannelChange((body: z.input<typeof api.saveSmsChannel.body>) => call(api.saveSmsChannel, { body }))

export const useSaveWhatsapp = () =>
  useChannelChange((body: z.input<typeof api.saveWhatsappChannel.body>) => call(api.saveWhatsappChannel, { body }))

export const useChooseTemplate = () =>
  useChannelChange((body: z.input<typeof api.chooseWhatsappTemplate.body>) =>
    call(api.chooseWhatsappTemplate, { body }),
  )

export const useRefreshTemplates = () => useChannelChange((_: undefined) => call(api.refreshWhatsappTemplates))

export const useRemoveChannel = (channel: 'sms' | 'whatsapp') =>
  useChannelChange((_: undefined) => call(channel === 'sms' ? api.removeSmsChannel : api.removeWhatsappChannel))

const budgetQuery = queryOptions({
  queryKey: ['sending-budget'],
  queryFn: ({ signal }) => call(readBudget, { signal }),
})

export const useBudget = () => useQuery(budgetQuery)

export function useSaveBudget() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (monthly: number | null) => call(saveBudget, { body: { monthly } }),
    onSuccess: (budget) => queries.setQueryData(budgetQuery.queryKey, budget),
  })
}
