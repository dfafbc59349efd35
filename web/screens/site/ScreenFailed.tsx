import { useEffect, useState } from 'react'
import { useRouteError } from 'react-router'
import { readInstance } from '../../../shared/workspace/instance.ts'
import { ApiError, call, useIsReachable } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingTitle } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'

const outdated = new Error(
  'A newer version of Recoup has been installed. Reload the page to use it. Your saved work is safe.',
)
const broken = new Error('Something went wrong on this page. Reload it. Your saved work is safe.')

/** Replaces a screen that failed to render, with the reason; the frame stays. */
export function ScreenFailed() {
  const isFileMissing = isImportError(useRouteError())
  const isAway = useIsServerDown()
  if (isAway === null) return <LoadingTitle />
  if (isAway) {
    return (
      <Notice tone="bad" title={<h1 className="notice-title">The Recoup server cannot be reached</h1>} isLive>
        You are still signed in. This page opens automatically when the server responds.
      </Notice>
    )
  }
  return (
    <Failed
      title="This page could not be displayed"
      error={isFileMissing ? outdated : broken}
      retryLabel="Reload"
      onRetry={() => location.reload()}
    />
  )
}

/**
 * Whether the server is unreachable; null while checking. Browsers cache a failed chunk, so retrying reloads the page.
 */
function useIsServerDown(): boolean | null {
  const [isAway, setAway] = useState<boolean | null>(null)
  const isReachable = useIsReachable()
  useEffect(() => {
    call(readInstance).then(
      () => setAway(false),
      (error) => setAway(error instanceof ApiError && error.isAway),
    )
  }, [])
  useEffect(() => {
    if (isAway && isReachable) location.reload()
  }, [isAway, isReachable])
  return isAway
}

/** Error texts of Chromium, Firefox and Safari. */
const isImportError = (error: unknown) =>
  error instanceof Error && /dynamically imported module|Importing a module script failed|preload/i.test(error.message)
