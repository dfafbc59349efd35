import { Group } from '@mantine/core'
import { type Language, languages } from '../../../shared/delivery/preferences.ts'
import { languageNames, shopperCopy } from './copy.ts'

/** Each language in its own name. */
export function LanguageChoice({ language, onChoose }: { language: Language; onChoose: (next: Language) => void }) {
  return (
    <Group component="nav" gap={4} justify="center" mt="lg" aria-label={shopperCopy[language].language}>
      {languages.map((each) => (
        <button
          key={each}
          type="button"
          className="language"
          lang={each}
          aria-pressed={each === language}
          onClick={() => onChoose(each)}
        >
          {languageNames[each]}
        </button>
      ))}
    </Group>
  )
}
