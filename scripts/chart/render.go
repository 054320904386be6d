// Renders the templates of a chart with Go's own engine, which is Helm's, and those of Helm's functions that the chart uses:
// to build Helm itself would take minutes. Reads {templates, files, context} as JSON, and writes one YAML stream.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/template"
)

type files map[string]string

func (f files) Get(name string) string { return f[name] }

func main() {
	var input struct {
		Templates map[string]string
		Files     files
		Context   map[string]any
	}
	check(json.NewDecoder(os.Stdin).Decode(&input))
	input.Context["Files"] = input.Files
	all := template.New("chart")
	all.Funcs(template.FuncMap{
		"include": func(name string, context any) string {
			var text strings.Builder
			check(all.ExecuteTemplate(&text, name, context))
			return text.String()
		},
		"nindent": func(by int, text string) string {
			line := "\n" + strings.Repeat(" ", by)
			return line + strings.ReplaceAll(text, "\n", line)
		},
		"quote":  func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"toJson": toJson,
		"toYaml": func(value any) (lines string) {
			list, _ := value.([]any)
			for _, item := range list {
				lines += "- " + toJson(item) + "\n"
			}
			object, _ := value.(map[string]any)
			for key, item := range object {
				lines += toJson(key) + ": " + toJson(item) + "\n"
			}
			return strings.TrimSpace(lines)
		},
	})
	names := slices.Sorted(maps.Keys(input.Templates))
	for _, name := range names {
		template.Must(all.New(name).Parse(input.Templates[name]))
	}
	for _, name := range names {
		fmt.Println("---")
		check(all.ExecuteTemplate(os.Stdout, name, input.Context))
	}
}

func toJson(value any) string {
	text, err := json.Marshal(value)
	check(err)
	return string(text)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
