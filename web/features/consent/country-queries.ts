import { useQueryClient } from '@tanstack/react-query'

export function useRefetchTable() {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['consent-table'] })
}
