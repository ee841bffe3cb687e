// Builds the dashboard into web/dist, which the service reads.
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [tailwindcss()],
  build: {
    target: 'es2023',
    // Libraries mark files for frameworks that render on a server.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
    // The page may run no script and load no file that the service does not serve.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
