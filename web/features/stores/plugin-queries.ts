import { useMutation, useQuery } from '@tanstack/react-query'
import { confirmPlugin, readPlugin, reviewPlugin } from '../../../shared/workspace/plugin.ts'
import { call } from '../../core/api/api.ts'

/** The plugin's connect request. Fetched once; the user confirms what was shown. */
export const useConnectRequest = (connect: string) =>
  useQuery({
    queryKey: ['connect-request', connect],
    queryFn: ({ signal }) => call(reviewPlugin, { query: { connect }, signal }),
    refetchOnWindowFocus: false,
    retry: false,
  })

export const useConfirmRequest = () =>
  useMutation({ mutationFn: (connect: string) => call(confirmPlugin, { body: { connect } }) })

/** Polls while waiting for a test cart. */
export const usePlugin = (storeId: string) =>
  useQuery({
    queryKey: ['store', storeId, 'plugin'],
    queryFn: ({ signal }) => call(readPlugin, { query: { storeId }, signal }),
    refetchInterval: ({ state }) => (state.data?.plugin?.test.isWaiting ? 3_000 : 60_000),
  })
