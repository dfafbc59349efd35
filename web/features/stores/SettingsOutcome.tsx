import { settingNames } from '../../../shared/access/store-settings.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { formatSetting } from './rules.ts'
import type { useSettingsForm } from './useSettingsForm.ts'

/** Why the last save failed. Field errors are also shown at the fields. */
export function SettingsOutcome({ save, clashes }: Pick<ReturnType<typeof useSettingsForm>, 'save' | 'clashes'>) {
  if (!save.error) return null
  return (
    <Notice tone={clashes ? 'warn' : 'bad'} title="Not saved" isLive>
      {save.error.message}
      {clashes && (
        <p style={{ margin: '4px 0 0' }}>
          Your changes are still here; everything else now shows what they saved.{' '}
          {clashes.length > 0 && (
            <>
              Both of you changed{' '}
              {clashes
                .map(({ name, value }) => `“${settingNames[name]}” (theirs: ${formatSetting(name, value)})`)
                .join(', ')}
              .{' '}
            </>
          )}
          Save again to keep yours, or discard to take theirs.
        </p>
      )}
    </Notice>
  )
}
