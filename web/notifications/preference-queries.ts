import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type NotificationChoices,
  readNotificationPreferences,
  updateNotificationPreferences,
} from '../../shared/notification-calls.ts'
import { call } from '../api.ts'

const preferencesQuery = queryOptions({
  queryKey: ['notification-preferences'],
  queryFn: ({ signal }) => call(readNotificationPreferences, { signal }),
})

export const usePreferences = () => useQuery(preferencesQuery)

/** The settings determine what the bell counts and lists. */
export function useSavePreferences() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (changed: Partial<NotificationChoices>) => call(updateNotificationPreferences, { body: changed }),
    onSuccess: (saved) => {
      queries.setQueryData(preferencesQuery.queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['notifications'] })
    },
  })
}
