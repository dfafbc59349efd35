import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  changeExperiment,
  readExperiments,
  startExperiment,
  stopExperiment,
} from '../../../shared/carts/experiments.ts'
import { call } from '../../core/api/api.ts'

export type Choice = z.input<typeof startExperiment.body>

/** Results are updated once a minute. */
const REFRESH_MS = 60_000

const experimentsQuery = queryOptions({
  queryKey: ['experiments'],
  queryFn: ({ signal }) => call(readExperiments, { signal }),
  refetchInterval: REFRESH_MS,
})

export const useExperiments = () => useQuery(experimentsQuery)

export const useStart = () => useExperimentChange((body: Choice) => call(startExperiment, { body }))
export const useChange = () => useExperimentChange((body: Choice) => call(changeExperiment, { body }))
export const useStop = () => useExperimentChange((_: undefined) => call(stopExperiment))

type Reply = z.output<typeof readExperiments.reply>

function useExperimentChange<Body>(mutationFn: (body: Body) => Promise<Reply>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: (reply) => {
      queries.setQueryData(experimentsQuery.queryKey, reply)
      // The flows' answer includes the size of the control group.
      void queries.invalidateQueries({ queryKey: ['flows'] })
    },
  })
}
