import type { ReactNode } from 'react'
import { Failed } from './Failed.tsx'

interface Props<Data> {
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown }
  /** Skeleton in the shape of the content. */
  loading: ReactNode
  /** What failed to load, as a sentence. */
  failed: string
  /** Formats the failure; by default its message. */
  getErrorText?: (error: Error) => string
  /** Wraps the error state. */
  className?: string
  children: (data: Data) => ReactNode
}

/** Shows a skeleton, then the error or the content. Loaded content stays if a refetch fails. */
export function Loaded<Data>({ query, loading, failed, getErrorText, className, children }: Props<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (!query.error) return loading
  const error = getErrorText ? new Error(getErrorText(query.error)) : query.error
  const notice = <Failed title={failed} error={error} onRetry={() => query.refetch()} />
  return className ? <div className={className}>{notice}</div> : notice
}
