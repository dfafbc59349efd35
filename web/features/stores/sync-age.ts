import { formatAge } from '../../core/ui/format.ts'

export interface SyncAge {
  ageSeconds: number | null
  /** Only for a shop that Recoup cannot reach: whether its plugin reports what messages need. */
  isReported?: boolean | undefined
}

/** A shop that Recoup cannot reach is never synced: its plugin reports orders. */
export function describeSyncAge({ ageSeconds, isReported }: SyncAge): string {
  const [never, verb] = isReported === undefined ? ['Not synced yet', 'Synced'] : ['Nothing reported yet', 'Updated']
  return ageSeconds === null ? never : `${verb} ${formatAge(ageSeconds)}`
}
