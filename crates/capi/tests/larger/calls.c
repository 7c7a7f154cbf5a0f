/* The library as C calls it. Any failed check ends the program. */

#include "objchange.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);            \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static const char SCHEMA[] =
    "{\"version\":1,\"block\":{\"attributes\":{"
    "\"id\":{\"type\":\"string\",\"computed\":true},"
    "\"name\":{\"type\":\"string\",\"required\":true},"
    "\"token\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true}}}}";

static const char CONFIG[] =
    "{\"prior\":null,\"config\":{\"id\":null,\"name\":\"web\",\"token\":null}}";

/* The bytes are copied, so that reading behind them is found. */
static char *ask(const ObjchangeSchema *schema, const char *operation, const char *json, size_t len) {
    char *bytes = malloc(len ? len : 1);
    CHECK(bytes != NULL);
    if (len > 0) {
        memcpy(bytes, json, len);
    }
    char *answer = schema ? objchange_call_with_schema(schema, operation, bytes, len)
                          : objchange_call(operation, bytes, len);
    free(bytes);
    CHECK(answer != NULL);
    return answer;
}

static void wants(const char *operation, const char *json, const char *part) {
    char *answer = ask(NULL, operation, json, strlen(json));
    if (strstr(answer, part) == NULL) {
        fprintf(stderr, "%s: %s\n", operation, answer);
        exit(1);
    }
    objchange_free(answer);
}

static void answers(void) {
    wants("action_for_change", "{\"type\":\"number\",\"before\":1,\"after\":2}", "{\"action\":\"update\"}");
    wants("assert_value_compatible", "{\"type\":\"number\",\"planned\":1,\"actual\":2}", "\"message\":");
    wants("expr", "{\"expr\":\"1 + 1\"}", "2");
    wants("implied_type", "{\"schema\":{}}", "{\"type\":");
}

static void plan_files(void) {
    char *answer = objchange_plan_document(NULL, 0, NULL, 0);
    CHECK(strstr(answer, "\"null\""));
    objchange_free(answer);
    answer = objchange_plan_document("PK\3\4", 4, NULL, 0);
    CHECK(strstr(answer, "\"archive\""));
    objchange_free(answer);
    answer = objchange_plan_document("PK\3\4", 4, "{", 1);
    CHECK(strstr(answer, "\"error\""));
    objchange_free(answer);
    static char bytes[1 << 16];
    FILE *file = fopen("../saved/tests/files/create.tfplan", "rb");
    if (file != NULL) {
        size_t len = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        answer = objchange_plan_document(bytes, len, NULL, 0);
        CHECK(strstr(answer, "\"address\":\"terraform_data.first\""));
        objchange_free(answer);
    }
}

static void errors(void) {
    wants("implied_typo", "{}", "implied_type");
    wants("implied_type", "{", "\"not_a_case\"");
    wants("implied_type", "", "\"not_a_case\"");
    wants("implied_type", "{}", "\"missing_field\"");
    wants("implied_type", "{\"schema\":7}", "\"field\":\"schema\"");
    char *answer = ask(NULL, "implied_type", "{\"\xff\":1}", 7);
    CHECK(strstr(answer, "\"not_utf8\""));
    objchange_free(answer);
    answer = objchange_call(NULL, "{}", 2);
    CHECK(strstr(answer, "\"null\""));
    objchange_free(answer);
    answer = objchange_call("implied_type", NULL, 0);
    CHECK(strstr(answer, "\"null\""));
    objchange_free(answer);
    answer = objchange_call("\xff", "{}", 2);
    CHECK(strstr(answer, "\"not_utf8\""));
    objchange_free(answer);
    answer = objchange_call("implied_type", "{}", (size_t)-1);
    CHECK(strstr(answer, "\"too_large\""));
    objchange_free(answer);
    objchange_free(NULL);
    objchange_schema_free(NULL);
}

static void schemas(void) {
    char *error = NULL;
    CHECK(objchange_schema_new("{\"attributes\":7}", 16, &error) == NULL);
    CHECK(error != NULL && strstr(error, "\"wrong_field\""));
    objchange_free(error);
    CHECK(objchange_schema_new("{", 1, NULL) == NULL);
    CHECK(objchange_schema_new(NULL, 0, NULL) == NULL);
}

/* Brackets in brackets, as deep as anybody may write them. */
static void deep(void) {
    enum { DEPTH = 100000 };
    char *json = malloc(2 * DEPTH + 64);
    CHECK(json != NULL);
    int begin = sprintf(json, "{\"schema\":{},\"value\":");
    memset(json + begin, '[', DEPTH);
    memset(json + begin + DEPTH, ']', DEPTH);
    strcpy(json + begin + 2 * DEPTH, "}");
    wants("coerce_value", json, "\"error\"");
    free(json);
}

struct shared {
    const ObjchangeSchema *schema;
    const char *answer;
};

static void *thread(void *argument) {
    const struct shared *shared = argument;
    for (int i = 0; i < 200; i++) {
        char *answer = ask(shared->schema, "plan_change", CONFIG, strlen(CONFIG));
        CHECK(strcmp(answer, shared->answer) == 0);
        objchange_free(answer);
    }
    deep();
    return NULL;
}

static void threads(void) {
    char *error = (char *)SCHEMA;
    ObjchangeSchema *schema = objchange_schema_new(SCHEMA, strlen(SCHEMA), &error);
    CHECK(schema != NULL && error == NULL);
    char *answer = ask(schema, "plan_change", CONFIG, strlen(CONFIG));
    CHECK(strstr(answer, "\"create\"") != NULL);
    struct shared shared = {schema, answer};
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 2 << 20) == 0);
    pthread_t running[4];
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_create(&running[i], &attributes, thread, &shared) == 0);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(running[i], NULL) == 0);
    }
    CHECK(pthread_attr_destroy(&attributes) == 0);
    objchange_free(answer);
    objchange_schema_free(schema);
}

int main(void) {
    CHECK(strlen(objchange_version()) > 0);
    answers();
    plan_files();
    errors();
    schemas();
    threads();
    return 0;
}
