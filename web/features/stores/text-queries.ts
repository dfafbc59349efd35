import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import * as api from '../../../shared/messages/text-channels.ts'
import { call } from '../../core/api/api.ts'

type Channels = { sms: api.TextChannelView; whatsapp: api.TextChannelView }

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: ({ signal }): Promise<Channels> => call(api.readTextChannels, { signal }),
})

/** The answer replaces the cached state. */
export function useChannelChange<Input>(change: (input: Input) => Promise<api.TextChannelView>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: (view) => queries.setQueryData(channelsQuery.queryKey, (old) => old && { ...old, [view.channel]: view }),
  })
}
