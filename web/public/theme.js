// Before the first paint: the chosen theme, else the system's (A 4.7). `web/core/theme/theme-choice.ts` goes on from here.
;(() => {
  let stored = null
  try {
    stored = localStorage.getItem('theme')
  } catch {
    // A browser that keeps nothing still has a system preference.
  }
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  const name = ['light', 'dark', 'blue'].includes(stored) ? stored : isDark ? 'dark' : 'light'
  const root = document.documentElement
  root.dataset.theme = name
  root.dataset.mantineColorScheme = name === 'dark' ? 'dark' : 'light'
  root.style.colorScheme = name === 'dark' ? 'dark' : 'light'
})()
