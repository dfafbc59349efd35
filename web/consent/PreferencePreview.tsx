import '../restore/shopper.css'
import { Card, Text } from '@mantine/core'
import { DEFAULT_BRAND } from '../../shared/brand.ts'
import {
  fillWording,
  type Language,
  languages,
  type OwnWording,
  type PreferencesView,
} from '../../shared/preferences.ts'
import { PreferencesForm } from '../restore/PreferencesForm.tsx'

interface Props {
  storeName: string
  own: Record<Language, OwnWording>
  language: Language
}

/** The page itself, with somebody made up; nothing in it can be pressed. */
export function PreferencePreview({ storeName, own, language }: Props) {
  const view: PreferencesView = {
    storeName,
    brand: DEFAULT_BRAND,
    language,
    wordings: Object.fromEntries(
      languages.map((each) => [each, fillWording(own[each], each, storeName)]),
    ) as PreferencesView['wordings'],
    channels: [
      { channel: 'email', address: 'j•••@example.com', isOn: true, isPending: false, lock: null },
      { channel: 'sms', address: '+12•••••43', isOn: true, isPending: false, lock: null },
      { channel: 'whatsapp', address: '+12•••••43', isOn: false, isPending: false, lock: null },
    ],
  }
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" fz="sm" fw={550} mb="xs">
        Preview
      </Text>
      <div className="preview-frame" lang={language} inert>
        <Text fw={700} fz="lg" ta="center" mb="md">
          {storeName}
        </Text>
        <Card padding="lg">
          <PreferencesForm
            key={language}
            view={view}
            language={language}
            isSaving={false}
            error={null}
            onSave={() => Promise.resolve()}
          />
        </Card>
      </div>
    </figure>
  )
}
